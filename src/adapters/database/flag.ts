/** 0 or 1: SQLite has no boolean, and a number means the same in both engines. */
export type Flag = 0 | 1;
