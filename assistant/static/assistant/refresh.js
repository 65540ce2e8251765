/* Brings the part of a page that changes up to date while something goes on, and leaves the rest, focus too, alone. */
const live = document.getElementById("live");

async function look() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
    if (fresh === null || live.contains(document.activeElement)) return;
    live.replaceChildren(...fresh.childNodes);
    live.dataset.going = fresh.dataset.going;
  } catch {
    // The server is away for a moment: the next look finds it.
  }
}

const timer = setInterval(() => {
  if (live === null || live.dataset.going !== "true") clearInterval(timer);
  else void look();
}, 3000);
