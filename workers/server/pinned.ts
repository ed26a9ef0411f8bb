/** The Temporal program that we ship against, and the one Go can still build. */
export const PINNED_VERSION = '1.9.1';
export const GO_VERSION = '1.5.1';

/** The oldest server whose features our workflows use. */
export const OLDEST_SERVER = '1.29.0';

/** What is known of the pinned program on one platform; the sums are sha256. */
export interface PinnedProgram {
  /** Names of the platform in the maker's archives. */
  archive: { platform: string; arch: string };
  wheel: { platform: string; sha256: string };
  sha256: string;
}

/** Keys are `process.platform`-`process.arch`. */
export const PINNED: Readonly<Record<string, PinnedProgram>> = {
  'linux-x64': {
    archive: { platform: 'linux', arch: 'amd64' },
    wheel: {
      platform: 'manylinux2014_x86_64',
      sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    },
    sha256: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  },
  'linux-arm64': {
    archive: { platform: 'linux', arch: 'arm64' },
    wheel: {
      platform: 'manylinux2014_aarch64',
      sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    },
    sha256: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  },
  'darwin-arm64': {
    archive: { platform: 'darwin', arch: 'arm64' },
    wheel: {
      platform: 'macosx_11_0_arm64',
      sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    },
    sha256: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
  'darwin-x64': {
    archive: { platform: 'darwin', arch: 'amd64' },
    wheel: {
      platform: 'macosx_10_9_x86_64',
      sha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    },
    sha256: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  },
};

/** Finds the pinned program of a platform; undefined where nobody packs one. */
export function pinnedFor(
  platform: string = process.platform,
  arch: string = process.arch,
): PinnedProgram | undefined {
  return PINNED[`${platform}-${arch}`];
}
