// Defects of the views, as a fault of the program or of the data would cause them: real rows that the database refuses.

import type { Engine } from '../src/kernel/storage/engines/engine.ts'

/** Makes the database refuse rows of a table that fulfil a condition on `new`. Returns what ends that. */
export async function refuseRows(
  engine: Engine,
  table: string,
  condition: string,
): Promise<() => Promise<void>> {
  const run = (text: string) => engine.transaction((sql) => sql.all(text))
  if (engine.dialect.engine === 'sqlite') {
    await run(`create trigger defect before insert on ${table} when ${condition}
      begin select raise(abort, 'a defect'); end`)
    return async () => void (await run('drop trigger if exists defect'))
  }
  await run(`create or replace function defect() returns trigger language plpgsql as $$
    begin if ${condition} then raise exception 'a defect'; end if; return new; end $$`)
  await run(
    `create trigger defect before insert on ${table} for each row execute function defect()`,
  )
  return async () => void (await run(`drop trigger if exists defect on ${table}`))
}
