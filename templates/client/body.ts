/** Reads the body of an answer piece by piece. */

/** The pieces as they come; a caller that stops reading ends the request. */
export async function* bytesOf(body: Response['body']): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** The lines that are complete. LF, CR and CRLF end one, wherever the pieces are cut. */
export async function* linesOf(body: Response['body']): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let isAfterCr = false
  for await (const piece of bytesOf(body)) {
    const text = decoder.decode(piece, { stream: true })
    const lines = (isAfterCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/)
    if (text !== '') isAfterCr = text.endsWith('\r')
    const [first = ''] = lines
    rest += first
    for (const next of lines.slice(1)) {
      yield rest
      rest = next
    }
  }
}
