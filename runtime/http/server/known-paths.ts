/** What is known of an address, for 404 and 405: a tree of segments, so that the work grows with the length of the address and not with
 *  the number of routes. */
import { percentDecoded } from '../../utf8.ts'

interface Node<Known> {
  /** By `/` and a fixed segment, by `:` for a variable one, and by `*` for the rest of the path. */
  readonly children: Map<string, Node<Known>>
  /** Whose paths end here. */
  readonly known: Known[]
}

export interface KnownPath {
  /** Decoded, as Fastify takes it: `:name` is one segment, a last `*` all that follows, `::` a colon. */
  readonly path: string
  readonly methods: readonly string[]
}

/** Returns what finds the methods of every known path that an address (without its query) matches, with and without the
 *  trailing slash, sorted; none for an unknown one. */
export function methodsByPath(known: readonly KnownPath[]): (path: string) => readonly string[] {
  const endpointsAt = endpointsByPath(known)
  return (path) => methodsOf(endpointsAt(path))
}

/** Of all of them, sorted. */
export const methodsOf = (found: readonly Pick<KnownPath, 'methods'>[]): readonly string[] =>
  [...new Set(found.flatMap(({ methods }) => methods))].sort()

/** Returns what finds all whose path an address (without its query) matches, with and without the trailing slash. */
export function endpointsByPath<Known extends Pick<KnownPath, 'path'>>(
  known: readonly Known[],
): (path: string) => readonly Known[] {
  const root = emptyNode<Known>()
  for (const endpoint of known)
    segmentsOf(endpoint.path)
      .reduce(childFor<Known>, root)
      .known.push(endpoint)
  // as the router compares addresses; it has refused what is not well encoded
  const decoded = (segment: string): string => percentDecoded(segment) ?? segment
  return (path) => matching(root, segmentsOf(path).map(decoded)).flatMap((node) => node.known)
}

const emptyNode = <Known>(): Node<Known> => ({ children: new Map(), known: [] })

function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(1)
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments
}

/** The node below `node` for a segment of a known path, made when it is not there. */
function childFor<Known>(node: Node<Known>, segment: string): Node<Known> {
  const isVariable = segment.startsWith(':') && !segment.startsWith('::') // a colon that names no variable is doubled
  const key = segment === '*' ? '*' : isVariable ? ':' : `/${segment.replaceAll('::', ':')}`
  const child = node.children.get(key) ?? emptyNode<Known>()
  node.children.set(key, child)
  return child
}

/** Goes down all branches at once; there are never more than the tree has at that depth. */
function matching<Known>(root: Node<Known>, segments: readonly string[]): readonly Node<Known>[] {
  const below = (nodes: readonly Node<Known>[], key: string): Node<Known>[] =>
    nodes.flatMap(({ children }) => children.get(key) ?? [])
  const ended: Node<Known>[] = []
  let nodes: readonly Node<Known>[] = [root]
  for (const segment of segments) {
    ended.push(...below(nodes, '*'))
    nodes = [...below(nodes, `/${segment}`), ...(segment === '' ? [] : below(nodes, ':'))]
  }
  return [...ended, ...nodes]
}
