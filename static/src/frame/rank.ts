/** Fuzzy choice: letters in order, better when they begin words. Pure. */

export function score(text: string, query: string): number | null {
  const wanted = query.toLowerCase().replace(/\s+/g, "");
  const letters = text.toLowerCase();
  let at = 0;
  let total = 0;
  let previous = -2;
  for (const letter of wanted) {
    const starts = wordStart(letters, letter, at);
    const found = letters[previous + 1] === letter && previous >= 0 ? previous + 1 : starts >= 0 ? starts : letters.indexOf(letter, at);
    if (found < 0) return null;
    total += found === previous + 1 ? 3 : isWordStart(letters, found) ? 2 : 0;
    total -= (found - at) * 0.02;
    previous = found;
    at = found + 1;
  }
  return total;
}

function isWordStart(text: string, index: number): boolean {
  return index === 0 || !/[a-z0-9]/.test(text[index - 1]!);
}

function wordStart(text: string, letter: string, from: number): number {
  for (let index = text.indexOf(letter, from); index >= 0; index = text.indexOf(letter, index + 1)) if (isWordStart(text, index)) return index;
  return -1;
}

/** Items that hold the query's letters, best first; all of them, in order, without a query. */
export function rank<T>(items: readonly T[], query: string, text: (item: T) => string): T[] {
  if (query.trim() === "") return [...items];
  return items
    .flatMap((item) => {
      // The first letter may belong to a later word: a plain substring is always found and worth more than scattered letters.
      const within = text(item).toLowerCase().includes(query.trim().toLowerCase()) ? 2 * query.trim().length + 2 : null;
      const points = Math.max(score(text(item), query) ?? -Infinity, within ?? -Infinity);
      return points === -Infinity ? [] : [{ item, points }];
    })
    .sort((a, b) => b.points - a.points)
    .map(({ item }) => item);
}
