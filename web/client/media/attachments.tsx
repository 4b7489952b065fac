import { useCallback, useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import type { BrowserKey } from '../act/key-store.ts'
import { describe, TAKEN, upload } from './upload.ts'

/** What is taken where a video is not. */
export const PICTURES = 'image/jpeg,image/png,image/webp,image/avif,image/gif'

/** A picture or video that goes with a cast. */
type Attachment = {
  readonly id: number
  readonly name: string
  /** Of the file in this browser. */
  readonly preview: string
  readonly isVideo: boolean
  readonly alt: string
  /** Sent so far, 0 to 1. */
  readonly part: number
  readonly url?: string
  readonly error?: string
}

export type Attachments = ReturnType<typeof useAttachments>

let lastId = 0

/** Uploads files as they are chosen, up to `max`. `findKey` answers undefined for visitors, and nothing is sent then. */
export function useAttachments(max: number, findKey: () => Promise<BrowserKey | undefined>) {
  const [items, setItems] = useState<readonly Attachment[]>([])
  const ends = useRef(new Map<number, () => void>())
  useEffect(
    () => () => {
      for (const end of ends.current.values()) end()
    },
    [],
  )
  const change = (id: number, part: Partial<Attachment>) =>
    setItems((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const send = async (id: number, file: File, signal: AbortSignal) => {
    try {
      const key = await findKey()
      if (!key) throw new Error('Join to add pictures.')
      const progress = (part: number) => change(id, { part })
      const { url } = await upload(key, file, { progress, signal })
      change(id, { url, part: 1 })
    } catch (reason) {
      change(id, { error: (reason as Error).message })
    }
  }
  const add = (files: Iterable<File>) => {
    const taken = [...files]
      .filter(({ type }) => /^(?:image|video)\//.test(type))
      .slice(0, max - items.length)
    for (const file of taken) {
      const id = ++lastId
      const preview = URL.createObjectURL(file)
      const abort = new AbortController()
      ends.current.set(id, () => {
        abort.abort()
        URL.revokeObjectURL(preview)
      })
      const isVideo = file.type.startsWith('video/')
      setItems((all) => [...all, { id, name: file.name, preview, isVideo, alt: '', part: 0 }])
      void send(id, file, abort.signal)
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
      for (const { url, alt } of items) if (url && alt.trim()) await describe(key, url, alt.trim())
    },
    [items],
  )
  return {
    ...{ items, add, remove, change, describeAll },
    urls: items.flatMap(({ url }) => url ?? []),
    isFull: items.length >= max,
    /** Whether something is still being sent, or could not be. */
    isPending: items.some(({ url }) => url === undefined),
  }
}

/** The files with what is to be seen on them. */
export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const { items, remove, change } = attachments
  if (items.length === 0) return null
  return (
    <ul className="attachments" aria-label="Pictures and videos">
      {items.map(({ id, name, preview, isVideo, alt, part, url, error }) => (
        <li key={id} className="preview">
          {isVideo ? (
            <video className="preview-picture" src={preview} muted />
          ) : (
            <img className="preview-picture" src={preview} alt="" />
          )}
          <div className="preview-text">
            <label>
              <span className="muted">What is to be seen, for those who cannot see it</span>
              <textarea
                rows={2}
                dir="auto"
                maxLength={1_000}
                value={alt}
                onChange={({ target }) => change(id, { alt: target.value })}
              />
            </label>
            {error ? (
              <p className="help bad" role="alert">
                <bdi>{name}</bdi>: {error}
              </p>
            ) : (
              url === undefined && <progress value={part} aria-label={`Sending ${name}`} />
            )}
          </div>
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${name}`}
            onClick={() => remove(id)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
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
