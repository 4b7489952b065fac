import { legacyHookDecode } from '@exodus/bytes/encoding.js'
import sniff from 'html-encoding-sniffer'
import { Parser } from 'htmlparser2'
import type { OutgoingFile } from '../../../kernel/http/files/outgoing-file.ts'

// The text of a page, in the encoding that browsers find for it (HTML standard, 13.2.3.2): a byte order mark, the
// label of the header if it is known, the first meta element with a known one, the XML declaration.

/** `charset` of a Content-Type. */
const LABEL = /charset\s*=\s*["']?\s*([\w:.-]{1,40})/i
export const XHTML_TYPE = /^application\/xhtml\+xml\b/i
/** The longest byte order mark. */
const MARK_BYTES = 3

type PageFile = Pick<OutgoingFile, 'type' | 'bytes'>

export const textOf = (file: PageFile): string =>
  legacyHookDecode(file.bytes, encodingOf(file).toLowerCase())

function encodingOf({ type, bytes }: PageFile): string {
  const transportLayerEncodingLabel = LABEL.exec(type)?.[1]
  // XML has no meta elements that say anything about its encoding.
  if (XHTML_TYPE.test(type)) return sniff(bytes, { xml: true, transportLayerEncodingLabel })
  const beginning = bytes.subarray(0, MARK_BYTES)
  return (
    sniff(beginning, { transportLayerEncodingLabel, defaultEncoding: '' }) ||
    metaEncoding(bytes) ||
    sniff(bytes, { maxPrescanBytes: 0, defaultEncoding: undeclaredEncoding(bytes) })
  )
}

/** Of the first meta element in the head that declares one; '' without one. What is in comments and scripts does not count. */
function metaEncoding(bytes: Uint8Array): string {
  let found = ''
  const parser = new Parser({
    onopentag(name) {
      if (name === 'meta' && found === '') {
        const element = bytes.subarray(parser.startIndex, parser.endIndex + 1)
        found = sniff(element, { defaultEncoding: '', maxPrescanBytes: element.length })
      }
      if (name === 'body' || found !== '') parser.pause()
    },
    onclosetag(name) {
      if (name === 'head') parser.pause()
    },
  })
  // One character for each byte, so that positions are the same.
  parser.write(Buffer.from(bytes).toString('latin1'))
  return found
}

/** UTF-8 when the bytes are, which other encodings hardly ever are by chance; else what browsers take for western pages. */
function undeclaredEncoding(bytes: Uint8Array): string {
  try {
    // The page may be cut off within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return 'UTF-8'
  } catch {
    return 'windows-1252'
  }
}
