/** The types with which controllers say where a value comes from and what form it has. They vanish at run time: the
 *  compiler recognises them by name. All of them: templates/docs/types.md. */
// Source: language.md, Parameters. Imports nothing of ours.

declare const brand: unique symbol

/** The whole request body, parsed by its Content-Type. */
export type Body<T> = T & { readonly [brand]?: 'Body' }
/** The header `Name`. */
export type Header<Name extends string, T = string> = T & { readonly [brand]?: Name }
/** The cookie `Name`. */
export type Cookie<Name extends string, T = string> = T & { readonly [brand]?: Name }
/** What the model's user is asked for (`InputRequired`): undefined until they have answered. A flat interface. */
export type Elicited<T> = T & { readonly [brand]?: 'Elicited' }
/** What the exported schema `S` makes of a value of its input type: `Checked<typeof newOrder>`. Its rules are run before the method. */
export type Checked<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'] extends infer T
  ? T extends null | undefined // an intersection would lose them
    ? T
    : T & { readonly [brand]?: 'Checked' }
  : never
/** The same place under the public name `Name`. */
export type Named<Name extends string, T> = T & { readonly [brand]?: Name }

/** What schemas of zod 4, valibot, arktype and others have. Source: standardschema.dev, 1. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
  }
}

type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** What is wrong with a value, and where in it. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A whole number from -2^31 to 2^31-1. */
export type Int32 = number & { readonly [brand]?: 'Int32' }
/** A whole number of 64 bits; a decimal string in JSON. */
export type Int64 = bigint & { readonly [brand]?: 'Int64' }
/** A finite floating point number. */
export type Float64 = number & { readonly [brand]?: 'Float64' }
/** A UUID (RFC 9562) in text form. */
export type Uuid = string & { readonly [brand]?: 'Uuid' }
/** An ISO 8601 date and time in text form. */
export type DateTime = string & { readonly [brand]?: 'DateTime' }
/** An e-mail address. */
export type Email = string & { readonly [brand]?: 'Email' }
/** An absolute URL. */
export type Url = string & { readonly [brand]?: 'Url' }
