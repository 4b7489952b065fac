import { useCallback, useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import type { Draft, DraftFile } from '../act/drafts.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { useServer } from '../parts/server.ts'
import { describe, TAKEN, type Uploaded, upload } from './upload.ts'

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
  /** Whether its description was written in this composer. */
  readonly isWritten: boolean
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
function keptOf({ url, isWritten, ...file }: DraftFile): Attachment[] {
  if (!URL.canParse(url)) return []
  // Drafts of earlier versions do not say it.
  const written = isWritten ?? file.alt !== ''
  const preview = new URL(url).pathname
  return [{ ...file, id: ++lastId, url, preview, isWritten: written, part: 1 }]
}

/** The attachments when one of them has been uploaded. A file that was chosen twice has one row, with what was written in either. */
function withUploaded(
  all: readonly Attachment[],
  id: number,
  { url, warnings, altText }: Uploaded,
): readonly Attachment[] {
  const uploaded = all.map((one) =>
    one.id === id ? { ...one, url, warnings, part: 1, alt: one.alt || altText } : one,
  )
  const [first, second] = uploaded.filter((one) => one.url === url)
  if (!first || !second) return uploaded
  const { alt, isWritten } = second.isWritten && !first.isWritten ? second : first
  return uploaded
    .filter((one) => one !== second)
    .map((one) => (one === first ? { ...first, alt, isWritten } : one))
}

/** The field with the description of an attachment. */
const fieldOf = (id: number) => `description-${id}`

const isBare = ({ alt }: Pick<Attachment, 'alt'>) => alt.trim() === ''

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
  const [isRefused, setRefused] = useState(false)
  const { data: server, refetch } = useServer(items.length > 0)
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
      if (!key) throw new Error(t('Join to add pictures.'))
      const progress = (part: number) => change(id, { part })
      const uploaded = await upload(key, file, { progress, signal: abort.signal })
      // Otherwise this cast would take it back, for earlier ones too.
      if (uploaded.sensitive) setSensitive(true)
      setItems((all) => withUploaded(all, id, uploaded))
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
      const { name } = file
      const item = {
        id: ++lastId,
        name,
        preview,
        isVideo,
        alt: '',
        isWritten: false,
        part: 0,
        file,
      }
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
      for (const { url, alt, isWritten } of items) {
        // What was not written here is not sent: it would hold for earlier casts with the file, too.
        const altText = isWritten ? alt : undefined
        if (url) await describe(key, { url, altText, sensitive: isSensitive })
      }
    },
    [items, isSensitive],
  )
  /**
   * Names of files that must be described before they are cast; the first of them gets the focus. The operator may have changed
   * the rule since the page was opened.
   */
  const findUndescribed = async (): Promise<string[]> => {
    const bare = items.filter(isBare)
    if (bare.length === 0) return []
    const { data } = await refetch()
    if (data?.descriptions !== 'required') return []
    setRefused(true)
    document.getElementById(fieldOf(bare[0]!.id))?.focus()
    return bare.map(({ name }) => name)
  }
  const files = items.flatMap(({ url, name, isVideo, alt, isWritten }): DraftFile[] =>
    url === undefined ? [] : [{ url, name, isVideo, alt, isWritten }],
  )
  return {
    ...{ items, add, remove, change, describeAll, files, isSensitive, setSensitive },
    retry: send,
    urls: files.map(({ url }) => url),
    isFull: items.length >= max,
    findUndescribed,
    isRefused,
    /** Whether the operator asks for descriptions. */
    areRequired: server?.descriptions === 'required',
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
      <ul className="attachments" aria-label={t('Pictures and videos')}>
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
        {t('Sensitive: blurred until a reader asks for it')}
      </label>
    </>
  )
}

type RowProps = { item: Attachment; attachments: Attachments }

function AttachmentRow({ item, attachments }: RowProps) {
  const { remove, change, retry, areRequired, isRefused } = attachments
  const { id, name, preview, isVideo, alt, part, url, error, file, warnings = [] } = item
  const shown = {
    className: 'preview-picture',
    src: preview,
    onError: () =>
      !file &&
      change(id, {
        url: undefined,
        error: t('The server does not keep it any more. Choose the file again.'),
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
            {areRequired
              ? rich('Description of {name}, for those who cannot see it (required)', {
                  name: <bdi>{name}</bdi>,
                })
              : rich('Description of {name}, for those who cannot see it', {
                  name: <bdi>{name}</bdi>,
                })}
          </span>
          <textarea
            id={fieldOf(id)}
            rows={2}
            dir="auto"
            maxLength={1_000}
            aria-required={areRequired}
            aria-invalid={isRefused && areRequired && isBare(item)}
            value={alt}
            onChange={({ target }) => change(id, { alt: target.value, isWritten: true })}
          />
        </label>
        {error ? (
          <p className="help bad" role="alert">
            <bdi>{name}</bdi>: {error}{' '}
            {file && (
              <button type="button" className="link" onClick={() => retry(item, file)}>
                {rich('Try again <part>to send {name}</part>', {
                  name,
                  part: (inner) => <span className="unseen">{inner}</span>,
                })}
              </button>
            )}
          </p>
        ) : (
          url === undefined && <progress value={part} aria-label={t('Sending {name}', { name })} />
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
        aria-label={t('Remove {name}', { name })}
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
  /** Whether it is an icon of a tool bar. */
  isTool?: boolean
}

/** A button that opens the files of the device, and on a phone another one that opens its camera. */
export function FileChooser({ isDisabled = false, ...props }: ChooserProps) {
  const hasCamera = matchMedia('(pointer: coarse)').matches
  return (
    <span className="file-chooser">
      <FileInput {...props} isDisabled={isDisabled} />
      {hasCamera && <FileInput {...props} isDisabled={isDisabled} text={t('Camera')} isCamera />}
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
  isTool = false,
}: ChooserProps & { isCamera?: boolean }) {
  return (
    <label className={isTool ? 'tool' : 'file-button'} title={isTool ? text : undefined}>
      {isTool && <Icon name={isCamera ? 'camera' : 'picture'} />}
      <span className={isTool ? 'unseen' : undefined}>{text}</span>
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
