/** Doc comments as data. */
import type { Doc } from './schema.ts'

export const emptyDoc: Doc = { summary: '', description: '', deprecated: false, examples: [] }

/** A doc of one line. */
export const docOf = (summary: string): Doc => ({ ...emptyDoc, summary })

/** All that a doc says: its description holds its summary. */
export const fullText = ({ summary, description }: Pick<Doc, 'summary' | 'description'>): string =>
  description === '' ? summary : description
