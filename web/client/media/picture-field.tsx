import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { findKey } from '../act/key-store.ts'
import { Picture } from '../parts/picture.tsx'
import { FileChooser, PICTURES } from './attachments.tsx'
import { upload } from './upload.ts'

type Props = {
  fid: number
  /** The address of the picture that there is. */
  url: string
  /** The text of the button that opens the choice of a file. */
  text: string
  choose: (url: string) => void
}

/** A picture with a button that uploads another one. */
export function PictureField({ fid, url, text, choose }: Props) {
  const [part, setPart] = useState<number>()
  const [error, setError] = useState<string>()
  const send = async ([file]: FileList) => {
    if (!file) return
    setError(undefined)
    setPart(0)
    try {
      const key = await findKey(fid)
      if (!key) throw new Error(t('There is no key of this account in this browser.'))
      choose((await upload(key, file, { progress: setPart })).url)
    } catch (reason) {
      setError((reason as Error).message)
    } finally {
      setPart(undefined)
    }
  }
  return (
    <div className="picture-field">
      <Picture url={url} width={192} alt="" className="preview-picture" />
      <FileChooser text={text} accept={PICTURES} isDisabled={part !== undefined} choose={send} />
      {part !== undefined && <progress value={part} aria-label={t('Sending the picture')} />}
      {error && (
        <p className="help bad" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
