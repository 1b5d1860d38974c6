import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes that the nursery of V8 may grow to, and milliseconds between two looks at it. */
const largest = 16 * 1024 * 1024
const lookEvery = 500
/** Factor by which it grows at once. */
const growth = 2

/**
 * Garbage that may pile up outside of the nursery before V8 begins to collect it, in percent of what is in use there. By
 * itself, V8 lets it become three times as much as that.
 */
const garbage = 50

/**
 * Sets whether V8 lets its nursery grow when much is made at once. Once grown, the nursery keeps its size for as long as the
 * load lasts.
 */
export function letNurseryGrow(may) {
  setFlagsFromString(`--semi-space-growth-factor=${may ? growth : 1}`)
}

/**
 * Bounds the garbage of this process, with all of its threads, from here on. Callers and networks make the process allocate
 * and discard memory, so garbage needs a bound like any other memory that they fill.
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
    // Its size after growing once more must still fit.
    letNurseryGrow(growth * (nursery?.space_size ?? 0) <= largest)
  }
  look()
  setInterval(look, lookEvery).unref()
}
