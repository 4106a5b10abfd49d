/** The arguments of `acmcp call` as the tool takes them. */
import { CommandFailure } from './add-command.ts'

type Schema = Readonly<Record<string, unknown>>

/** By name: `name:=json` is that JSON, `name=value` a text where the schema takes texts, else JSON if it is any. Throws where one is
 *  not written like that. What the schema forbids is for the tool to refuse. */
export function toArguments(
  assignments: readonly string[],
  schema: Schema,
): Readonly<Record<string, unknown>> {
  const args = new Map<string, unknown>()
  for (const assignment of assignments) {
    const [, name = '', how, text = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(assignment) ?? []
    if (how === undefined) throw wrong(`${assignment} is no argument: write name=value, or name:=json`)
    if (args.has(name)) throw wrong(`${name} is given twice: write a list as ${name}:='["a","b"]'`)
    const value = parsed(text)
    if (how === ':=' && value === undefined) throw wrong(`${name}:= is not followed by JSON: ${text}`)
    const isText = value === undefined || (how === '=' && takesText(propertyOf(schema, name), schema))
    args.set(name, isText ? text : value)
  }
  return Object.fromEntries(args)
}

const wrong = (line: string): CommandFailure => new CommandFailure(line, 2)

/** Undefined when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const propertyOf = ({ properties }: Schema, name: string): unknown =>
  isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined

/** Whether a text may fit; a schema that is not told takes everything. */
function takesText(schema: unknown, root: Schema): boolean {
  if (!isSchema(schema)) return true
  const { $ref, type, anyOf, oneOf, enum: values, const: value } = schema
  if (typeof $ref === 'string') return takesText(definitionOf(root, $ref), root)
  if (value !== undefined) return typeof value === 'string'
  if (Array.isArray(values)) return values.some((item) => typeof item === 'string')
  const options = anyOf ?? oneOf
  if (Array.isArray(options)) return options.some((option) => takesText(option, root))
  return type === undefined ? false : [type].flat().includes('string')
}

/** `#/$defs/Name`. Source: JSON Schema 2020-12, 8.2.4. */
function definitionOf({ $defs }: Schema, ref: string): unknown {
  const name = /^#\/\$defs\/(.+)$/.exec(ref)?.[1] ?? ''
  const definition = isSchema($defs) ? $defs[decodeURIComponent(name)] : undefined
  return isSchema(definition) && '$ref' in definition ? {} : definition // a name of a name: no end is looked for
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
