import type { HttpRequest } from '../../contract/http.ts'

/** Calls `gone` when the client of a request goes away, at once when it has; answers how to stop that. An abort signal is
 *  dear to make and to collect, so that one is asked for only where there is nothing else. */
export function whenGone(request: Pick<HttpRequest, 'signal' | 'whenGone'>, gone: () => void): () => void {
  if (request.whenGone !== undefined) return request.whenGone(gone)
  const { signal } = request
  if (signal.aborted) gone()
  else signal.addEventListener('abort', gone)
  return () => signal.removeEventListener('abort', gone)
}
