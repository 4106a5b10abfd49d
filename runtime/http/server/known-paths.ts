/** Which methods the paths of the application know, for 404 and 405: a tree of segments, so that the work grows with the
 *  length of the address and not with the number of routes. */

interface Node {
  readonly fixed: Map<string, Node>
  variable: Node | null
  /** Methods of the paths that end here. */
  readonly methods: Set<string>
  /** Methods of the paths whose last segment, `*`, stands here. */
  readonly restMethods: Set<string>
}

const emptyNode = (): Node => ({
  fixed: new Map(),
  variable: null,
  methods: new Set(),
  restMethods: new Set(),
})

export interface KnownPath {
  /** As Fastify takes it: `:name` is one segment, a last `*` all that follows, `::` a colon; not percent-encoded. */
  readonly path: string
  readonly methods: readonly string[]
}

/** Answers the methods of every known path that an address (without its query) matches, with and without the trailing slash,
 *  sorted; none for an unknown one. */
export function methodsByPath(known: readonly KnownPath[]): (path: string) => readonly string[] {
  const root = emptyNode()
  for (const { path, methods } of known) add(root, segmentsOf(path), methods)
  return (path) => [...new Set(found(root, segmentsOf(path).map(decoded)))].sort()
}

/** As the router compares addresses; it has refused what is not well encoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(1)
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments
}

function add(root: Node, segments: readonly string[], methods: readonly string[]): void {
  let node = root
  for (const segment of segments) {
    if (segment === '*') {
      for (const method of methods) node.restMethods.add(method)
      return
    }
    node = isVariable(segment) ? variableOf(node) : fixedOf(node, segment.replaceAll('::', ':'))
  }
  for (const method of methods) node.methods.add(method)
}

/** A colon that names no variable is doubled. */
const isVariable = (segment: string): boolean => segment.startsWith(':') && !segment.startsWith('::')

function variableOf(node: Node): Node {
  node.variable ??= emptyNode()
  return node.variable
}

function fixedOf(node: Node, segment: string): Node {
  const next = node.fixed.get(segment) ?? emptyNode()
  node.fixed.set(segment, next)
  return next
}

/** Goes down all branches at once; there are never more than the tree has at that depth. */
function found(root: Node, segments: readonly string[]): readonly string[] {
  const methods: string[] = []
  let nodes: readonly Node[] = [root]
  for (const segment of segments) {
    methods.push(...nodes.flatMap(({ restMethods }) => [...restMethods]))
    nodes = nodes.flatMap((node) => branches(node, segment))
    if (nodes.length === 0) return methods
  }
  return [...methods, ...nodes.flatMap((node) => [...node.methods])]
}

function branches({ fixed, variable }: Node, segment: string): readonly Node[] {
  const next = fixed.get(segment)
  const ofVariable = segment === '' || variable === null ? [] : [variable]
  return next === undefined ? ofVariable : [next, ...ofVariable]
}
