/** A generated OpenAPI document as a reader sees it. */
import { parse } from 'yaml'

/** The document of `text`, with each response in place of the reference to it. */
export function readDocument(text: string): ReturnType<typeof parse> {
  const document = parse(text)
  const shared = document.components.responses ?? {}
  for (const path of Object.values<Record<string, { responses: Record<string, { $ref?: string }> }>>(
    document.paths,
  )) {
    for (const { responses } of Object.values(path)) {
      for (const [status, { $ref }] of Object.entries(responses)) {
        const name = $ref?.split('/').at(-1)
        if (name !== undefined) responses[status] = shared[name]
      }
    }
  }
  return document
}
