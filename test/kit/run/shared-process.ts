/** Modules of the kit that leave nothing behind: models, samples, and stores that the tests close. */
const harmless =
  'stores/|postgres\\.ts|fake-time|random|shares|rows|counted-changes|networks/new-message-id|media-samples'

/** Traces in a test file of what could disturb others in its process, or be disturbed by them. */
const disturbing = [
  // Servers, browsers and processes that the kits start.
  new RegExp(`/test/(simulators|conformance|kit/(?!${harmless}))`),
  /from 'node:(child_process|cluster|dgram|dns|http|https|net|tls|worker_threads)/,
  /\.listen\(|startServer|new Worker/,
  // Globals of a process, its clock and its memory included.
  /\b(?:mock|process|globalThis)\b[.,]/,
]

/** Returns true if a test file can share a process with others of its kind. */
export function canShareProcess(text: string): boolean {
  return !disturbing.some((disturbs) => disturbs.test(text))
}

/** Traces in a scenario of more than servers that it starts and stops in its own process. */
const disturbingPlays = [
  /spawnPosthorn|KilledServer|startBrowser|resident-memory/,
  /from 'node:(child_process|cluster|dns|worker_threads)/,
  /\b(?:mock|process|globalThis)\b[.,]/,
]

/**
 * Returns true if a scenario can share a process with others: each starts its servers in that process, and stops them. Attacks and
 * crashes have their own, because they measure what a process suffers.
 */
export function canPlayTogether(file: string, text: string): boolean {
  return (
    !/scenarios\/(hostile|crash)\//.test(file) &&
    /startPosthorn|startObserved/.test(text) &&
    !disturbingPlays.some((disturbs) => disturbs.test(text))
  )
}
