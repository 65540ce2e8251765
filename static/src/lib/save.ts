/** Hands a text to the browser as a file to keep. */
export function save(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: "text/plain" }));
}

export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
