import { MAX_PAGE_SIZE } from '../../kernel/storage/reads/page.ts'
import type { Storage } from '../../kernel/storage/storage.ts'

/** All messages of a person in a set, a page at a time. */
export async function* ownMessages(storage: Pick<Storage, 'messages'>, fid: number, store: number) {
  let token: Uint8Array | undefined
  do {
    const list = { fid, store }
    const page = await storage.messages.listByFid(list, { size: MAX_PAGE_SIZE, token })
    yield page.items
    token = page.next
  } while (token)
}
