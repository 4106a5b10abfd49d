import type { HttpRequest } from '../../contract/http.ts'

/** A header as one text, or null. `name` is lower case. */
export function headerText(request: Pick<HttpRequest, 'headers'>, name: string): string | null {
  const value = request.headers[name]
  if (value === undefined) return null
  return typeof value === 'string' ? value : value.join(', ')
}
