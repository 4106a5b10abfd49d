/** How much a request body may hold. Above any limit: `PayloadTooLarge`. Imports nothing of ours. */

/** What a body may hold. `bodyBytes` bounds a body that is read as a whole, and all fields of a multipart form. */
export interface BodyLimits {
  readonly bodyBytes: number
  /** One uploaded file. */
  readonly fileBytes: number
  readonly files: number
  readonly fields: number
  /** One field of a multipart form. */
  readonly fieldBytes: number
}

export const defaultBodyLimits: BodyLimits = {
  bodyBytes: 1024 * 1024,
  fileBytes: 10 * 1024 * 1024,
  files: 10,
  fields: 1000,
  fieldBytes: 1024 * 1024,
}
