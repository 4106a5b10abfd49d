/** How much a request body may hold. Above any limit: `PayloadTooLarge`. */
import type { BodyLimits } from '../../contract/application.ts'

export const defaultBodyLimits: BodyLimits = {
  bodyBytes: 1024 * 1024,
  fileBytes: 10 * 1024 * 1024,
  files: 10,
  fields: 1000,
  fieldBytes: 1024 * 1024,
}
