import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { PATIENCE_MS } from '../../../test/patience.ts'
import { MIB } from '../protocol/sizes.ts'

const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    import { collectWhenIdle } from '${new URL('./idle-memory.ts', import.meta.url)}'
    collectWhenIdle()
    parentPort.on('message', () => {
      let held = Array.from({ length: 400_000 }, (_, i) => ({ i }))
      setTimeout(() => {
        held = undefined
        parentPort.postMessage('done')
      }, 50)
    })`)}`,
)

test('a thread that has nothing to do gives the memory of its last load back', async (t) => {
  setFlagsFromString('--expose-gc')
  const thread = new Worker(SCRIPT)
  t.after(() => thread.terminate())
  await once(thread, 'online')
  const heap = async () => {
    const { used_heap_size: used, total_physical_size: occupied } = await thread.getHeapStatistics()
    return { used: used / MIB, free: (occupied - used) / MIB }
  }
  const before = await heap()
  thread.postMessage('work')
  await once(thread, 'message')
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for (let now = await heap(); now.used > before.used + 4 || now.free > 4; now = await heap()) {
    await sleep(20, undefined, { signal })
  }
})
