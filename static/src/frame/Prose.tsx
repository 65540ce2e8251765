/** A sentence from the evaluator; what stands between backticks is code. Text nodes only. */

export function Prose({ text }: { text: string }) {
  const parts = text.split("`");
  // An odd number of backticks: one stands for itself, nothing is code.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
