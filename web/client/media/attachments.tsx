import { useCallback, useEffect, useRef, useState } from 'react'
import { face } from '../../shared/face.ts'
import { Icon } from '../../shared/icons.tsx'
import { Refusal } from '../../shared/request.ts'
import type { Draft, DraftFile } from '../act/drafts.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { describe, TAKEN, upload } from './upload.ts'

/** What is taken where a video is not. */
export const PICTURES = 'image/jpeg,image/png,image/webp,image/avif,image/gif'

/** A picture or video that goes with a cast. */
type Attachment = {
  readonly id: number
  readonly name: string
  /** Where this browser shows it from. */
  readonly preview: string
  readonly isVideo: boolean
  readonly alt: string
  /** Sent so far, 0 to 1. */
  readonly part: number
  readonly url?: string | undefined
  readonly error?: string | undefined
  /** To try again, unless the server would say the same. */
  readonly file?: File | undefined
  /** What the server says about a file that it took. */
  readonly warnings?: readonly string[] | undefined
}

export type Attachments = ReturnType<typeof useAttachments>

let lastId = 0

/** From a draft: the file is on the server. */
const keptOf = ({ url, ...file }: DraftFile): Attachment[] =>
  URL.canParse(url) ? [{ ...file, id: ++lastId, url, preview: new URL(url).pathname, part: 1 }] : []

/**
 * Uploads files as they are chosen, up to `max`, beside those of a draft. `findKey` answers undefined for visitors, and nothing
 * is sent then.
 */
export function useAttachments(
  max: number,
  findKey: () => Promise<BrowserKey | undefined>,
  begun: Pick<Draft, 'files' | 'isSensitive'>,
) {
  const [items, setItems] = useState<readonly Attachment[]>(() => begun.files.flatMap(keptOf))
  const [isSensitive, setSensitive] = useState(begun.isSensitive)
  const ends = useRef(new Map<number, () => void>())
  useEffect(
    () => () => {
      for (const end of ends.current.values()) end()
    },
    [],
  )
  const change = (id: number, part: Partial<Attachment>) =>
    setItems((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const send = async ({ id, preview }: Attachment, file: File) => {
    const abort = new AbortController()
    ends.current.set(id, () => {
      abort.abort()
      URL.revokeObjectURL(preview)
    })
    change(id, { part: 0, error: undefined })
    try {
      const key = await findKey()
      if (!key) throw new Error('Join to add pictures.')
      const progress = (part: number) => change(id, { part })
      const uploaded = await upload(key, file, { progress, signal: abort.signal })
      const { url, warnings, altText, sensitive } = uploaded
      // Otherwise this cast would take them back, for earlier ones too.
      if (sensitive) setSensitive(true)
      setItems((all) =>
        all.map((one) =>
          one.id === id ? { ...one, url, warnings, part: 1, alt: one.alt || altText } : one,
        ),
      )
    } catch (reason) {
      const { message } = reason as Error
      change(id, { error: message, ...(isFinal(reason) && { file: undefined }) })
    }
  }
  const add = (files: Iterable<File>) => {
    const taken = [...files]
      .filter(({ type }) => /^(?:image|video)\//.test(type))
      .slice(0, max - items.length)
    for (const file of taken) {
      const preview = URL.createObjectURL(file)
      const isVideo = file.type.startsWith('video/')
      const item = { id: ++lastId, name: file.name, preview, isVideo, alt: '', part: 0, file }
      setItems((all) => [...all, item])
      void send(item, file)
    }
    return taken.length > 0
  }
  const remove = (id: number) => {
    ends.current.get(id)?.()
    ends.current.delete(id)
    setItems((all) => all.filter((one) => one.id !== id))
  }
  const describeAll = useCallback(
    async (key: BrowserKey) => {
      for (const { url, alt } of items)
        if (url) await describe(key, { url, altText: alt.trim(), sensitive: isSensitive })
    },
    [items, isSensitive],
  )
  const files = items.flatMap(({ url, name, isVideo, alt }): DraftFile[] =>
    url === undefined ? [] : [{ url, name, isVideo, alt }],
  )
  return {
    ...{ items, add, remove, change, describeAll, files, isSensitive, setSensitive },
    retry: send,
    urls: files.map(({ url }) => url),
    isFull: items.length >= max,
    /** Names of files that must be described before they are cast. */
    undescribed: items.flatMap(({ alt, name }) =>
      face.asksForDescriptions && alt.trim() === '' ? name : [],
    ),
    /** Whether something is still being sent, or could not be. */
    isPending: files.length < items.length,
  }
}

/** What the server said about the file itself, it says again. */
const isFinal = (error: unknown): boolean =>
  error instanceof Refusal && [400, 413].includes(error.status)

/** The files with what is to be seen on them. */
export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const { items, isSensitive, setSensitive } = attachments
  if (items.length === 0) return null
  return (
    <>
      <ul className="attachments" aria-label="Pictures and videos">
        {items.map((item) => (
          <li key={item.id} className="preview">
            <AttachmentRow item={item} attachments={attachments} />
          </li>
        ))}
      </ul>
      <label className="check">
        <input
          type="checkbox"
          checked={isSensitive}
          onChange={({ target }) => setSensitive(target.checked)}
        />
        Sensitive: blurred until a reader asks for it
      </label>
    </>
  )
}

type RowProps = { item: Attachment; attachments: Attachments }

function AttachmentRow({ item, attachments: { remove, change, retry } }: RowProps) {
  const { id, name, preview, isVideo, alt, part, url, error, file, warnings = [] } = item
  const shown = {
    className: 'preview-picture',
    src: preview,
    onError: () =>
      !file &&
      change(id, {
        url: undefined,
        error: 'The server does not keep it any more. Choose the file again.',
      }),
  }
  return (
    <>
      {isVideo ? (
        // A film that this browser cannot decode is no lost file.
        <video {...shown} onError={undefined} muted />
      ) : (
        <img {...shown} alt="" />
      )}
      <div className="preview-text">
        <label>
          <span className="muted">
            What is to be seen, for those who cannot see it
            {face.asksForDescriptions && ' (required)'}
          </span>
          <textarea
            rows={2}
            dir="auto"
            maxLength={1_000}
            aria-required={face.asksForDescriptions}
            value={alt}
            onChange={({ target }) => change(id, { alt: target.value })}
          />
        </label>
        {error ? (
          <p className="help bad" role="alert">
            <bdi>{name}</bdi>: {error}{' '}
            {file && (
              <button type="button" className="link" onClick={() => retry(item, file)}>
                Try again <span className="unseen">to send {name}</span>
              </button>
            )}
          </p>
        ) : (
          url === undefined && <progress value={part} aria-label={`Sending ${name}`} />
        )}
        {warnings.map((warning) => (
          <p key={warning} className="help" role="status">
            {warning}
          </p>
        ))}
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label={`Remove ${name}`}
        onClick={() => remove(id)}
      >
        <Icon name="cross" />
      </button>
    </>
  )
}

type ChooserProps = {
  choose: (files: FileList) => void
  text: string
  accept?: string
  isMultiple?: boolean
  isDisabled?: boolean
}

/** A button that opens the files of the device, and on a phone another one that opens its camera. */
export function FileChooser({ isDisabled = false, ...props }: ChooserProps) {
  const hasCamera = matchMedia('(pointer: coarse)').matches
  return (
    <span className="file-chooser">
      <FileInput {...props} isDisabled={isDisabled} />
      {hasCamera && <FileInput {...props} isDisabled={isDisabled} text="Camera" isCamera />}
    </span>
  )
}

function FileInput({
  choose,
  text,
  accept = TAKEN,
  isMultiple = false,
  isDisabled,
  isCamera,
}: ChooserProps & { isCamera?: boolean }) {
  return (
    <label className="file-button">
      {text}
      <input
        type="file"
        className="unseen"
        accept={isCamera ? 'image/*' : accept}
        multiple={isMultiple && !isCamera}
        disabled={isDisabled}
        {...(isCamera && { capture: 'environment' as const })}
        onChange={({ target }) => {
          if (target.files) choose(target.files)
          // The same file may be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}
