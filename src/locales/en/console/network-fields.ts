/** The fields that every network has. */
export const networkFields = {
  pacing: 'Pacing',
  messages: 'Messages',
  seconds: 'Seconds',
  pause: 'Pause',
  min_seconds: 'At least, in seconds',
  max_seconds: 'At most, in seconds',
  warm_up: 'Warm up',
  off: 'Off',
} as const
