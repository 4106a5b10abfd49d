/** What the compiler must know of `app/config.ts`: the content types that the application's own parsers read and
 *  its responders write, the scopes, the route that stands for the endpoint's authentication, and what every setting is
 *  set to. */

import { configNotNamed } from '../../../diagnostics/config-diagnostics.ts'
import type { ForwardedHeader, WrittenSetting } from '../../../ir/source-model.ts'
import { type OverflowSite, readOrReport } from '../../program/overflow.ts'
import { placeOfNode, publicName, type Source, symbolAt } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'
import { propertyNamed, type Written, writtenAt, writtenItems, writtenText } from '../literals.ts'
import { type OwnScopes, readDeclaredScopes } from './declared-scopes.ts'
import { writtenSetting } from './written-settings.ts'

/** What `app/config.ts` says. */
export interface ConfigFacts extends OwnFormats, OwnScopes {
  /** `mcp.authProbe`; null = none is written, or not as a literal. */
  readonly authProbe: string | null
  /** `mcp.path`, or what it is by default; null = what is written is no literal. */
  readonly mcpPath: string | null
  /** `mcp.forwardHeaders`, as far as they are written as literals. */
  readonly forwardHeaders: readonly ForwardedHeader[]
  /** Every value, as far as it can be seen. */
  readonly settings: WrittenSetting | null
}

/** The media types that the application reads and writes beside the built-in ones. */
interface OwnFormats {
  readonly parsers: readonly string[]
  readonly responders: readonly string[]
}

/** Of an application whose configuration cannot be read. */
export const noFacts: ConfigFacts = {
  parsers: [],
  responders: [],
  scopes: [],
  areScopesWhole: false,
  authProbe: null,
  mcpPath: null,
  forwardHeaders: [],
  settings: null,
}

/** What is given to `defineApp`, as far as the compiler must know it. */
export function readConfig(source: Source): ConfigFacts {
  const file = source.files.find(({ fileName }) => fileName === `${source.host.root}/app/config.ts`)
  const argument = file === undefined ? null : defineAppArgument(source, file)
  if (argument === null) return { ...noFacts, areScopesWhole: true, mcpPath: defaultMcpPath }
  const read = (): ConfigFacts => ({
    ...formatsIn(source, argument),
    ...readDeclaredScopes(source, argument),
    authProbe: textOfMcp(source, argument, 'authProbe', null),
    mcpPath: textOfMcp(source, argument, 'path', defaultMcpPath),
    forwardHeaders: readForwardHeaders(source, argument),
    settings: writtenSetting(source, writtenAt(source, argument)),
  })
  return readArgument(source, argument, read, noFacts)
}

/** Reports a configuration that is exported under another name than `config`: a default export stands under none. */
export function reportUnnamedConfig(source: Source): void {
  const { checker, wanted, host } = source
  const file = wanted.find(({ fileName }) => fileName === `${host.root}/app/config.ts`)
  if (file === undefined) return
  const symbol = checker.getSymbolAtLocation(file)
  const names = symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(({ name }) => name)
  if (names.includes('config')) return
  const exported = file.statements.find((statement) => ts.isExportAssignment(statement))
  const token = exported ?? defineAppArgument(source, file)?.parent ?? file
  source.report(configNotNamed(placeOfNode(source, token)))
}

const defaultMcpPath = '/mcp'

function settingOfMcp(source: Source, argument: ts.Expression, name: string): Written | null {
  const mcp = propertyNamed(source, writtenAt(source, argument), 'mcp')
  return mcp === null ? null : propertyNamed(source, mcp, name)
}

/** `otherwise` where it is not written. */
function textOfMcp(
  source: Source,
  argument: ts.Expression,
  name: string,
  otherwise: string | null,
): string | null {
  const setting = settingOfMcp(source, argument, name)
  return setting === null ? otherwise : writtenText(source, setting)
}

/** What the build cannot see is judged at the start. */
function readForwardHeaders(source: Source, argument: ts.Expression): readonly ForwardedHeader[] {
  const list = settingOfMcp(source, argument, 'forwardHeaders')
  const items = list === null ? null : writtenItems(source, list)
  return (items ?? []).flatMap((item) => {
    const name = writtenText(source, item)
    return name === null ? [] : [{ name, at: placeOfNode(source, item.node) }]
  })
}

/** What `read` makes of what is given to `defineApp`; `otherwise` after a report, when the checker runs out of stack over it. */
function readArgument<T>(source: Source, argument: ts.Expression, read: () => T, otherwise: T): T {
  const site = (): OverflowSite => ({
    at: placeOfNode(source, argument),
    path: 'defineApp',
    text: argument.getText(),
  })
  return readOrReport(source, site, read, otherwise)
}

/** The names under `parsers` and `responders`, by the checker type, as written. */
function formatsIn(source: Source, argument: ts.Expression): OwnFormats {
  return {
    parsers: namesUnder(source, argument, 'parsers'),
    responders: namesUnder(source, argument, 'responders'),
  }
}

function namesUnder({ checker }: Source, argument: ts.Expression, field: string): readonly string[] {
  const property = checker.getTypeAtLocation(argument).getProperty(field)
  if (property === undefined) return []
  const type = checker.getTypeOfSymbolAtLocation(property, argument)
  return checker.getPropertiesOfType(type).map(({ name }) => name)
}

/** The first argument of the first call of `defineApp` in `node`; null when there is none. */
function defineAppArgument(source: Source, node: ts.Node): ts.Expression | null {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    if (publicName(source, symbolAt(source, node.expression)) === 'defineApp')
      return node.arguments[0] ?? null
  }
  return ts.forEachChild(node, (child) => defineAppArgument(source, child)) ?? null
}
