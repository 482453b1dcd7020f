import type pg from 'pg';

export interface DescribedStatement {
  /** Types of the parameters, as PostgreSQL writes them. */
  parameters: string[];
  columns: { name: string; type: string; notNull: boolean | undefined }[];
}

interface Field {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
}

/** The connection that pg passes to a custom query. */
interface Wire {
  parse(message: { name: string; text: string; types: number[] }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
  once(event: string, listener: (message: { dataTypeIDs: number[] }) => void): void;
}

/** Asks the server for the parameters and columns of a statement, without running it. */
export async function describeStatement(client: pg.Client, text: string): Promise<DescribedStatement> {
  const { parameters, fields } = await new Promise<{ parameters: number[]; fields: Field[] }>(
    (resolve, reject) => {
      let parameters: number[] = [];
      let fields: Field[] = [];
      const asked = {
        submit: (wire: Wire) => {
          wire.once('parameterDescription', ({ dataTypeIDs }) => (parameters = dataTypeIDs));
          wire.parse({ name: '', text, types: [] });
          wire.describe({ type: 'S', name: '' });
          wire.sync();
        },
        handleRowDescription: (message: { fields: Field[] }) => (fields = message.fields),
        handleError: reject,
        handleReadyForQuery: () => resolve({ parameters, fields }),
      };
      client.query(asked as unknown as pg.Submittable);
    },
  );
  const types = await typeNames(client, [...parameters, ...fields.map(({ dataTypeID }) => dataTypeID)]);
  const constraints = await notNulls(client, fields);
  return {
    parameters: parameters.map((id) => types.get(id) ?? String(id)),
    columns: fields.map(({ name, tableID, columnID, dataTypeID }) => ({
      name,
      type: types.get(dataTypeID) ?? String(dataTypeID),
      notNull: constraints.get(`${tableID}.${columnID}`),
    })),
  };
}

async function typeNames(client: pg.Client, ids: number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ id: number; name: string }>(
    'select oid::int as id, format_type(oid, null) as name from pg_type where oid = any($1)',
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Not-null constraints of the columns that come straight from a table. */
async function notNulls(client: pg.Client, fields: Field[]): Promise<Map<string, boolean>> {
  const { rows } = await client.query<{ place: string; notNull: boolean }>(
    `select attrelid::int || '.' || attnum as place, attnotnull as "notNull" from pg_attribute
     where attrelid = any($1::int[]::oid[])`,
    [fields.map(({ tableID }) => tableID)],
  );
  return new Map(rows.map(({ place, notNull }) => [place, notNull]));
}
