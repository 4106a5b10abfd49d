/** What of the application the endpoint has for any client, as `mcp.readOnly` and `mcp.expose` say: what they leave out is in no list
 *  and cannot be named, as if it had not been built. Source: decisions/mcp.md, Narrowed by settings. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { Catalogue, PromptEntry, ToolboxEntry, ToolEntry } from '../../contract/mcp.ts'
import { changeOf } from '../../surface.ts'

export interface Exposure {
  readonly readOnly: boolean
  readonly expose: 'all' | 'marked'
}

/** The catalogue, and the routes that the endpoint may run. */
export type Exposed = Pick<AppBundle, 'catalogue' | 'routes'>

/** Both as they are where the settings leave nothing out. */
export function exposedBy({ readOnly, expose }: Exposure, { catalogue, routes }: Exposed): Exposed {
  const exposed = expose === 'all' ? catalogue : withTools(catalogue, ({ shown }) => shown === true)
  if (!readOnly) return { catalogue: exposed, routes }
  const reading = routes.filter((route) => changeOf(route) === null)
  return {
    catalogue: readOnlyCatalogue(exposed, new Set(reading.map(({ id }) => id))),
    routes: reading,
  }
}

/** What completes an argument by a route that may change something is left out alone. */
function readOnlyCatalogue(whole: Catalogue, reading: ReadonlySet<string>): Catalogue {
  const { prompts, resources } = whole
  const reads = ({ route }: Pick<PromptEntry, 'route'>): boolean => reading.has(route)
  const completed = <Entry extends PromptEntry>(entry: Entry): Entry => ({
    ...entry,
    arguments: entry.arguments.map((argument) =>
      argument.completion === null || reads(argument.completion)
        ? argument
        : { ...argument, completion: null },
    ),
  })
  return {
    ...withTools(whole, reads),
    isReadOnly: true,
    ...(prompts === undefined ? {} : { prompts: prompts.filter(reads).map(completed) }),
    ...(resources === undefined ? {} : { resources: resources.filter(reads).map(completed) }),
  }
}

/** Without toolboxes that come to nothing. */
function withTools(whole: Catalogue, isKept: (tool: ToolEntry) => boolean): Catalogue {
  const tools = whole.tools.filter(isKept)
  const filled = new Set(tools.map(({ toolbox }) => toolbox))
  return {
    ...whole,
    tools,
    toolboxes: whole.toolboxes.filter(({ name }) => filled.has(name)),
    instructions: instructionsFor(whole, tools),
  }
}

/** The instructions without the lines of toolboxes of which only root tools are kept, or none: the compiler writes a line for each
 *  that has others. */
export function instructionsFor(
  { instructions, toolboxes, tools }: Catalogue,
  kept: readonly ToolEntry[],
): string {
  const isIn =
    (own: readonly ToolEntry[]) =>
    ({ name }: ToolboxEntry): boolean =>
      own.some(({ toolbox, root }) => toolbox === name && !root)
  const gone = toolboxes.filter((box) => isIn(tools)(box) && !isIn(kept)(box))
  const isOfGone = (line: string): boolean =>
    gone.some(({ name }) => line === name || line.startsWith(`${name}: `))
  return gone.length === 0
    ? instructions
    : instructions
        .split('\n')
        .filter((line) => !isOfGone(line))
        .join('\n')
}
