import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { findKey } from '../act/key-store.ts'
import { callPlatform } from '../act/platform.ts'
import type { Channel } from '../types.ts'
import { FileChooser, PICTURES } from './attachments.tsx'
import { upload } from './upload.ts'

/** For the owner of a channel: uploads another picture of it. */
export function ChangeChannelPicture({ fid, channel }: { fid: number; channel: Channel }) {
  const queries = useQueryClient()
  const [part, setPart] = useState<number>()
  const [error, setError] = useState<string>()
  const send = async ([file]: FileList) => {
    if (!file) return
    setError(undefined)
    setPart(0)
    try {
      const key = await findKey(fid)
      if (!key) throw new Error('There is no key of this account in this browser.')
      const { url } = await upload(key, file, { progress: setPart })
      const body = { channelId: channel.id, imageUrl: url }
      await callPlatform(key, '/fc/channels', 'PATCH', body)
      await queries.invalidateQueries()
    } catch (reason) {
      setError((reason as Error).message)
    } finally {
      setPart(undefined)
    }
  }
  return (
    <div className="picture-field">
      <FileChooser
        text="Change the picture"
        accept={PICTURES}
        isDisabled={part !== undefined}
        choose={send}
      />
      {part !== undefined && <progress value={part} aria-label="Sending the picture" />}
      {error && (
        <p className="help bad" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
