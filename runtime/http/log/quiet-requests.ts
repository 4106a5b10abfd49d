/** Requests that come every second from the monitoring of the server. Imports nothing of ours. */

const quiet = new WeakSet<object>()

/** Its line is of interest only while debugging. */
export const logQuietly = (request: object): void => void quiet.add(request)

export const isQuiet = (request: object): boolean => quiet.has(request)
