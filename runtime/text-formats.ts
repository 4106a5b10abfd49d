/** Which texts are of a format that documents name and decoders check: the build judges what is written in sources by the same. */

/** What Node takes for the host, once it has left out blanks around it, tabs and line ends. */
const authority =
  /^[\0-\x20]*(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)|^[\0-\x20]*[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i

/** Of DNS. Letters that are not ASCII are written as several that are: no host has more of them. */
const longestHost = 253

/** Whether Node can parse the text as an absolute URL. To write a host in ASCII takes Node the square of its length, half a second for
 *  16,000 letters: one that is longer than any host is none, and is not parsed. Source: WHATWG URL. */
export function isUrlText(text: string): boolean {
  const [, special = '', other = special] = authority.exec(text.replace(/[\t\n\r]/g, '')) ?? []
  const host = other.slice(other.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return host.length <= longestHost && URL.canParse(text)
}

const momentText = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i

/** The moment that a text says: a date that exists, alone or with a time, which may lack its seconds and its
 *  zone; null = none. Source: RFC 3339, 5.6. */
export function momentOf(text: string): Date | null {
  if (!momentText.test(text)) return null
  const date = new Date(text)
  const day = new Date(text.slice(0, 10))
  const isReal = !Number.isNaN(day.getTime()) && day.getUTCDate() === Number(text.slice(8, 10))
  return isReal && !Number.isNaN(date.getTime()) ? date : null
}

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const mailText = /^[^\s@]+@[^\s@]+$/

/** By the name of the format; of another only that it is a text is asked. */
export const textFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['email', (text: string) => mailText.test(text)],
  ['uri', isUrlText],
  ['date-time', (text: string) => momentOf(text) !== null],
  ['uuid', (text: string) => uuidText.test(text)],
])
