/** Which methods the paths of the application know, for 404 and 405: a tree of segments, so that the work grows with the
 *  length of the address and not with the number of routes. */

interface Node {
  /** By `/` and a fixed segment, by `:` for a variable one, and by `*` for the rest of the path. */
  readonly children: Map<string, Node>
  /** Methods of the paths that end here. */
  readonly methods: Set<string>
}

export interface KnownPath {
  /** Decoded, as Fastify takes it: `:name` is one segment, a last `*` all that follows, `::` a colon. */
  readonly path: string
  readonly methods: readonly string[]
}

/** Returns what finds the methods of every known path that an address (without its query) matches, with and without the
 *  trailing slash, sorted; none for an unknown one. */
export function methodsByPath(known: readonly KnownPath[]): (path: string) => readonly string[] {
  const root = emptyNode()
  for (const { path, methods } of known) {
    const end = segmentsOf(path).reduce(childFor, root)
    for (const method of methods) end.methods.add(method)
  }
  return (path) => {
    const nodes = matching(root, segmentsOf(path).map(decoded))
    return [...new Set(nodes.flatMap(({ methods }) => [...methods]))].sort()
  }
}

const emptyNode = (): Node => ({ children: new Map(), methods: new Set() })

function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(1)
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments
}

/** The node below `node` for a segment of a known path, made when it is not there. */
function childFor(node: Node, segment: string): Node {
  const isVariable = segment.startsWith(':') && !segment.startsWith('::') // a colon that names no variable is doubled
  const key = segment === '*' ? '*' : isVariable ? ':' : `/${segment.replaceAll('::', ':')}`
  const child = node.children.get(key) ?? emptyNode()
  node.children.set(key, child)
  return child
}

/** As the router compares addresses; it has refused what is not well encoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Goes down all branches at once; there are never more than the tree has at that depth. */
function matching(root: Node, segments: readonly string[]): readonly Node[] {
  const below = (nodes: readonly Node[], key: string): Node[] =>
    nodes.flatMap(({ children }) => children.get(key) ?? [])
  const ended: Node[] = []
  let nodes: readonly Node[] = [root]
  for (const segment of segments) {
    ended.push(...below(nodes, '*'))
    nodes = [...below(nodes, `/${segment}`), ...(segment === '' ? [] : below(nodes, ':'))]
  }
  return [...ended, ...nodes]
}
