import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { type Acquire, type Reading, type SiteFiles, URL_FIELD } from './site-files.ts'

/** Pictures and videos that this server keeps. */
export type OwnFiles = {
  /** Whether it is an address of such a file. */
  isOwn(url: URL): boolean
  /** Keeps a picture of the server and answers its path. */
  uploadForServer(picture: {
    readonly bytes: Uint8Array
    readonly consume: (bytes: number) => void
  }): Promise<string>
  urlOf(path: string): string
  fileAt(
    url: URL,
    options: { readonly maxBytes: number; readonly acquire: Acquire },
  ): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>
}

/** Files at addresses of this server are read from its store, not over the network. */
export const withOwnFiles = (files: SiteFiles, own: OwnFiles): SiteFiles => ({
  ...files,
  fetch(url, request, use) {
    if (!own.isOwn(url)) return files.fetch(url, request, use)
    const { ip, maxBytes } = request
    const read = async ({ acquire }: Reading) => {
      const file = await own.fileAt(url, { maxBytes, acquire })
      if (file) return { url, ...file }
      const text = `there is no file of at most ${maxBytes} bytes at ${url.host}${url.pathname}`
      throw new Rejection('bad_request.validation_failure', text, { field: URL_FIELD })
    }
    return files.read({ url, ip }, read, use)
  },
})
