/** Small preferences in localStorage; a browser that forbids storage just forgets them. */

export function remembered<T>(key: string, fallback: T, sound: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`passnet.${key}`) ?? "null");
    return sound(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(`passnet.${key}`, JSON.stringify(value));
  } catch {
    /* privacy mode or quota */
  }
}

export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
export const isString = (value: unknown): value is string => typeof value === "string";
