import { spawnSync } from 'node:child_process'

const isInstalled = ['ffmpeg', 'ffprobe', 'prlimit'].every(
  (program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).error === undefined,
)

/**
 * For `test` and `describe`: skips with the reason where ffmpeg is missing and not required with
 * `POSTHORN_TEST_REQUIRE=ffmpeg`.
 */
export const needsFfmpeg: { skip: string | false } = {
  skip:
    isInstalled || isRequired()
      ? false
      : 'ffmpeg and prlimit are not installed (Debian packages “ffmpeg util-linux”)',
}

function isRequired(): boolean {
  return (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('ffmpeg')
}
