import type { HttpRequest } from '../../contract/http.ts'

/** Calls `gone` when the client of a request goes away, at once when it has; returns how to stop that. An abort signal is
 *  expensive to make and to collect, so that one is asked for only where there is nothing else. */
export function onDisconnect(
  request: Pick<HttpRequest, 'signal' | 'onDisconnect'>,
  gone: () => void,
): () => void {
  if (request.onDisconnect !== undefined) return request.onDisconnect(gone)
  const { signal } = request
  if (signal.aborted) gone()
  else signal.addEventListener('abort', gone)
  return () => signal.removeEventListener('abort', gone)
}
