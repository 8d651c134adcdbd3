/** Recognises `sep=;`, which spreadsheets write before a table or need there. */
export const isSeparatorLine = (line: string): boolean => /^\uFEFF?sep=[,;|\t]\s*$/i.test(line);
