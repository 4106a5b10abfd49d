/** An application of 500 routes, generated. */
import { compile } from '../../../cli/compiler/compile.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../../cli/codecs/printed.ts'
import { memoryHost } from '../../cli/support/memory-host.ts'

/** How many there are. */
const controllers = 100

/** Five routes each; the first five controllers have a root tool. */
const controller = (box: number): string => `import { Controller, type Body, type Int32 } from 'acmcp'

/** A thing of box ${box}. */
export interface Thing${box} {
  readonly title: string
  readonly tags: string[]
}

/**
 * Things of box ${box}.
 *
 * @base /api/box${box}
 */
export class Box${box} extends Controller {
  /**
   * Lists the things of box ${box}, newest first.
   *
   * @get /
   * @param limit - how many at most
   * @param offset - how many to skip
   * @param query - words that must occur
   * @param tag - a tag that they must have
   */
  index(limit: Int32 = 20, offset: Int32 = 0, query?: string, tag?: string): Thing${box}[] {
    return [limit, offset, query, tag].slice(9).map(() => ({ title: '', tags: [] }))
  }

  /**
   * Shows one thing of box ${box}.
   *
   * @get /:id
   * @param id - which one
   ${box < 5 ? '* @mcp root' : '*'}
   */
  show(id: string): Thing${box} {
    return { title: id, tags: [] }
  }

  /**
   * Adds a thing to box ${box}.
   *
   * @post /
   */
  create(thing: Body<Thing${box}>): Thing${box} {
    return thing
  }

  /**
   * Changes a thing of box ${box}.
   *
   * @put /:id
   * @param id - which one
   */
  update(id: string, thing: Body<Thing${box}>): Thing${box} {
    return { ...thing, title: id }
  }

  /**
   * Removes a thing from box ${box} for good.
   *
   * @delete /:id
   * @param id - which one
   */
  remove(id: string): void {
    void id
  }
}
`

/** What `acmcp build` makes of 500 routes, of which five are root tools. */
export function compileBoxes(): Catalogue {
  const files = Array.from(
    { length: controllers },
    (_, box) => [`app/controllers/box${box}.ts`, controller(box)] as const,
  )
  const { catalogue, diagnostics } = compile(memoryHost(Object.fromEntries(files)))
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]))
  return loadCatalogue(catalogue)
}
