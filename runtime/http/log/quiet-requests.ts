/** Requests that come every second from whoever looks after the server. Imports nothing of ours. */

const quiet = new WeakSet<object>()

/** Its line is of no interest but to who debugs. */
export const logQuietly = (request: object): void => void quiet.add(request)

export const isQuiet = (request: object): boolean => quiet.has(request)
