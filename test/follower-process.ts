// A follower with `rookery/client` for tests that kill it: it says each event whose effect is there, and ends itself where a
// cast tells it to, as a machine that loses power would.

import { DatabaseSync } from 'node:sqlite'
import * as client from 'rookery/client'

/** `file`: a file has the position. `effect`: a database has it, stored in one transaction with the effect. */
const { url, fid, path, store } = JSON.parse(process.argv[2]!) as {
  url: string
  fid: number
  path: string
  store: 'file' | 'effect'
}
const { hub } = client.createNetwork({ url })
const db = new DatabaseSync(`${path}.db`)
// Without the flush of the machine's disk: only the process is killed.
db.exec(`pragma synchronous = off;
  create table if not exists effect (n integer primary key, event text, text text);
  create table if not exists position (one integer primary key check (one = 1), event text)`)
const addEffect = db.prepare('insert into effect (event, text) values (?, ?)')
const putPosition = db.prepare('insert or replace into position values (1, ?)')
const getPosition = db.prepare('select event from position')

const withEffect: client.PositionStore = {
  load: () => getPosition.get()?.event as string | undefined,
  save: (id) => void putPosition.run(id),
}
const positions = store === 'file' ? client.filePositions(`${path}.position`) : withEffect
const filter = { fids: [fid], types: ['MESSAGE_TYPE_CAST_ADD'] as const }
for await (const { id, message } of client.followMessages(hub, filter, { positions })) {
  if (!('castAddBody' in message.data)) continue
  const { text } = message.data.castAddBody
  dieOnce(text, 'before the effect')
  if (store === 'effect') db.exec('begin')
  addEffect.run(id, text)
  dieOnce(text, 'after the effect')
  if (store === 'effect') {
    putPosition.run(id)
    db.exec('commit')
    dieOnce(text, 'after the commit')
  }
  process.send!(text)
}

/** In the first run that comes here, and no later one. A note outside of a transaction tells the runs apart. */
function dieOnce(text: string, where: string): void {
  if (!text.startsWith(`die ${where}`)) return
  const notes = new DatabaseSync(`${path}.notes`)
  notes.exec('create table if not exists tried (what text primary key)')
  const { changes } = notes.prepare('insert or ignore into tried values (?)').run(text)
  notes.close()
  if (changes === 1) process.kill(process.pid, 'SIGKILL')
}
