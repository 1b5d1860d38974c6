import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** How large the nursery of V8 may grow, in bytes, and how often it is looked at, in milliseconds. */
const largest = 16 * 1024 * 1024
const lookEvery = 500
/** How much it grows at once. */
const growth = 2

/**
 * How much garbage may pile up outside of the nursery before V8 begins to collect it, in percent of what is in use there. By itself,
 * V8 lets it become three times as much as that.
 */
const garbage = 50

/** Whether V8 lets its nursery grow when much is made at once. What it grew it keeps for as long as the load lasts. */
export function letNurseryGrow(may) {
  setFlagsFromString(`--semi-space-growth-factor=${may ? growth : 1}`)
}

/**
 * Bounds what garbage takes in this process, with all of its threads, from here on. What many callers, or a network, let us make and
 * throw away is memory that somebody else fills, like any other.
 */
export function boundGarbage() {
  setFlagsFromString(`--heap-growing-percent=${garbage}`)
  limitYoungGeneration()
}

/**
 * Bounds the nursery: under load it would grow to 50 MB and more, and no processor time is saved by that which could be measured. V8's
 * own setting for this can only be given on the command line.
 */
function limitYoungGeneration() {
  const look = () => {
    const nursery = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    // What it would be after it grew once more is what must fit.
    letNurseryGrow(growth * (nursery?.space_size ?? 0) <= largest)
  }
  look()
  setInterval(look, lookEvery).unref()
}
