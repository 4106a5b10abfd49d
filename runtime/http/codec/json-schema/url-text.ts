/** Which texts are addresses. Source: WHATWG URL. */

/** What Node takes for the host, once it has left out blanks around it, tabs and line ends. */
const authority =
  /^[\0-\x20]*(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)|^[\0-\x20]*[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i

/** Of DNS. Letters that are not ASCII are written as several that are: no host has more of them. */
const longestHost = 253

/** Whether Node can parse the text as an absolute URL. To write a host in ASCII takes Node the square of its length, half a second for
 *  16,000 letters: one that is longer than any host is none, and is not parsed. */
export function isUrlText(text: string): boolean {
  const [, special = '', other = special] = authority.exec(text.replace(/[\t\n\r]/g, '')) ?? []
  const host = other.slice(other.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return host.length <= longestHost && URL.canParse(text)
}
