/** One route before and after, or one tool that runs another route now: what is found between its two operations is told to its
 *  callers. */
import { findingsOf } from './differences.ts'
import type { Document } from './document.ts'
import {
  type ChangedPart,
  type ContractChange,
  type ContractUser,
  type FindingFacts,
  noticedBy,
} from './findings.ts'
import type { RuleName } from './rules.ts'
import type { SchemaComparison } from './schemas/compare.ts'
import { type FieldValues, fieldPairs, isSame, recordOf } from './schemas/json.ts'
import type { Direction } from './schemas/pairs.ts'
import { type ToolPair, toolSubject } from './tools.ts'

/** Both documents, and what compares their schemas. */
export interface Documents {
  readonly before: Document
  readonly after: Document
  readonly schemas: SchemaComparison
}

interface Heard {
  readonly subject: ChangedPart
  readonly audience: readonly ContractUser[]
  readonly tool: ToolPair | null
}

export interface SchemaSite {
  readonly direction: Direction
  readonly path: readonly string[]
  readonly hits: readonly ContractUser[]
}

interface Contents extends SchemaSite {
  readonly gone: RuleName
  readonly added: RuleName
}

export const everybody: readonly ContractUser[] = ['HTTP', 'tools']
export const overHttp: readonly ContractUser[] = ['HTTP']

export class Call {
  readonly tool: ToolPair | null
  readonly documents: Documents
  readonly #subject: ChangedPart
  readonly #audience: readonly ContractUser[]

  constructor(documents: Documents, { subject, audience, tool }: Heard) {
    this.documents = documents
    this.tool = tool
    this.#subject = subject
    this.#audience = audience
  }

  /** Nothing where none of `hits` calls it. */
  tell(
    rule: RuleName,
    facts: FindingFacts,
    hits: readonly ContractUser[] = overHttp,
  ): readonly ContractChange[] {
    const heard = this.#heardBy(hits)
    return heard.length === 0 ? [] : [noticedBy(...heard)(rule, this.#subject, facts)]
  }

  /** What the tool alone has. */
  tellTool(rule: RuleName, facts: FindingFacts): readonly ContractChange[] {
    return this.tool === null ? [] : [noticedBy('tools')(rule, toolSubject(this.tool.after), facts)]
  }

  schema(before: unknown, after: unknown, { direction, path, hits }: SchemaSite): readonly ContractChange[] {
    const heard = this.#heardBy(hits)
    if (heard.length === 0) return []
    const names = this.tool === null ? [] : [this.tool.after.name]
    const usedBy = this.#subject.kind === 'route' ? [this.#subject.name, ...names] : names
    const site = { subject: this.#subject, direction, path, hits: heard, usedBy }
    const found = this.documents.schemas.compare(before ?? {}, after ?? {}, direction)
    return found.flatMap((difference) => findingsOf(difference, site))
  }

  /** Media types, each with its schema. A tool reads JSON, or the only one. */
  contents(before: unknown, after: unknown, { gone, added, ...site }: Contents): readonly ContractChange[] {
    const path = site.path.join(' ')
    const all = fieldPairs(before, after)
    const isKept = all.some(([, from, to]) => from !== undefined && to !== undefined)
    return all.flatMap(([type, from, to]) => {
      const isRead = site.direction === 'output' && (!isKept || type.includes('json'))
      if (to === undefined) return this.tell(gone, { path, before: type }, isRead ? site.hits : overHttp)
      if (from === undefined) return this.tell(added, { path, after: type })
      return this.schema(recordOf(from).schema, recordOf(to).schema, site)
    })
  }

  /** Words that people read in the document. */
  words(from: FieldValues, to: FieldValues, path: string): readonly ContractChange[] {
    return isSame([from.description, from.deprecated], [to.description, to.deprecated])
      ? []
      : this.tell('documented', { path, before: from.description, after: to.description })
  }

  #heardBy(hits: readonly ContractUser[]): readonly ContractUser[] {
    return hits.filter((user) => this.#audience.includes(user))
  }
}
