/** A statement of ours, written out once with `$1`, `$2`… for its parameters; it belongs to no transaction. Building it anew
 *  for every call would cost more than running it. The caller says what its rows hold. */
export type Prepare = <Row>(sql: string) => Query<Row>

export type Query<Row> = (parameters: readonly unknown[]) => Promise<readonly Row[]>
