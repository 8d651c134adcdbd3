/** SQLite has no boolean type; 0 and 1 mean the same in both engines. */
export type Flag = 0 | 1;
