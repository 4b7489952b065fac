import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startThread, ThreadEndedError } from './thread.ts'

const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { threadId } from 'node:worker_threads'
    import { answerInOrder, serveThread } from '${new URL('./thread-server.ts', import.meta.url)}'
    serveThread((name, post) => answerInOrder(post, (asked) => {
      if (asked === 'die') throw new Error('as asked')
      return asked === 'id' ? threadId : name + ' answers ' + asked
    }))`)}`,
)

test('requests made right after a thread died are answered by the thread that replaces it', async () => {
  const thread = startThread<string, string>(SCRIPT, 'it')
  await assert.rejects(thread.ask('die'), new ThreadEndedError('a thread ended: as asked'))
  const answers = await Promise.all([thread.ask('one'), thread.ask('two')])
  assert.deepEqual(answers, ['it answers one', 'it answers two'])
  await thread.close()
})

test('closing while no thread is running rejects every waiting request', async () => {
  const thread = startThread<string, string>(SCRIPT, 'it')
  await assert.rejects(thread.ask('die'), ThreadEndedError)
  const asked = assert.rejects(thread.ask('one'), ThreadEndedError)
  await thread.close()
  await asked
})

test('a closed thread is opened again with other settings, and a dead one is not', async () => {
  const first = startThread<string, unknown>(SCRIPT, 'first')
  const id = await first.ask('id')
  const beside = startThread<string, unknown>(SCRIPT, 'beside')
  assert.notEqual(await beside.ask('id'), id)
  await first.close()
  const second = startThread<string, unknown>(SCRIPT, 'second')
  assert.deepEqual(await Promise.all([second.ask('id'), second.ask('one')]), [
    id,
    'second answers one',
  ])
  assert.equal(await beside.ask('two'), 'beside answers two')
  await assert.rejects(second.ask('die'), ThreadEndedError)
  await second.close()
  await beside.close()
  const third = startThread<string, unknown>(SCRIPT, 'third')
  assert.notEqual(await third.ask('id'), id)
  await third.close()
})
