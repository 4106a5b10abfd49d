import type { EndedBy, HttpRequest } from '../../contract/http.ts'

/** Calls `gone` when the client of a request goes away, or the server that ends has waited long enough, at once when it has; returns how
 *  to stop that. Where there is a signal alone it is the client. An abort signal is
 *  expensive to make and to collect, so that one is asked for only where there is nothing else. */
export function onDisconnect(
  request: Pick<HttpRequest, 'signal' | 'onDisconnect'>,
  gone: (by: EndedBy) => void,
): () => void {
  if (request.onDisconnect !== undefined) return request.onDisconnect(gone)
  const { signal } = request
  const notify = (): void => gone('client')
  if (signal.aborted) notify()
  else signal.addEventListener('abort', notify)
  return () => signal.removeEventListener('abort', notify)
}
