/** Hands a text to the reader as a file that spreadsheets open. */
export const downloadText = (name: string, text: string): void =>
  downloadBlob(name, new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));

/** Hands bytes to the reader as a file. */
export function downloadBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
