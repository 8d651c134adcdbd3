/** Recognises `sep=;`, which spreadsheets write before a table or need there. It holds no cells. */
export const isSeparatorLine = (line: string): boolean => /^\uFEFF?sep=[,;|\t]\s*$/i.test(line);
