#include "proxy/authority_folder.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace outrider {
namespace {

namespace fs = std::filesystem;

class AuthorityFolder : public ::testing::Test {
 protected:
  fs::path ca() const { return scratch.path() / "ca"; }
  void put(const char* name, const std::string& text, unsigned mode) const {
    std::ofstream{ca() / name} << text;
    ::chmod((ca() / name).c_str(), mode);
  }
  void make_folder(unsigned mode = 0700) const {
    fs::create_directory(ca());
    ::chmod(ca().c_str(), mode);
  }
  static Result<AuthorityTexts> make() { return AuthorityTexts{"the key", "the certificate"}; }
  static Result<AuthorityTexts> must_not_make() {
    ADD_FAILURE() << "there is one already, or it is for its owner to repair";
    return make();
  }

  testing::SecretFolder scratch;
};

TEST_F(AuthorityFolder, FirstUse_MakesItForTheOwnerAlone) {
  const Result<AuthorityTexts> made = ensure_authority_folder(ca(), make);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(made->key, "the key");
  EXPECT_EQ(scratch.mode("ca"), 0700U);
  EXPECT_EQ(scratch.mode("ca/key.pem"), 0600U);
  EXPECT_EQ(scratch.mode("ca/certificate.pem"), 0600U);
  EXPECT_EQ(scratch.count(), 1U) << "nothing else is left behind";
  const Result<AuthorityTexts> again = ensure_authority_folder(ca(), must_not_make);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->certificate, "the certificate");
}

TEST_F(AuthorityFolder, OpenToOthers_IsRefusedWithTheRemedy) {
  ASSERT_TRUE(ensure_authority_folder(ca(), make));
  for (const unsigned mode : {0644U, 0640U, 0604U, 0660U, 0602U, 0610U}) {
    ::chmod((ca() / "key.pem").c_str(), mode);
    const Result<AuthorityTexts> texts = ensure_authority_folder(ca(), must_not_make);
    ASSERT_FALSE(texts) << mode;
    EXPECT_NE(texts.error().detail.find("chmod 600 " + (ca() / "key.pem").string()), std::string::npos)
        << texts.error().detail;
  }
  ::chmod((ca() / "key.pem").c_str(), 0600);
  for (const unsigned mode : {0755U, 0750U, 0701U, 0777U}) {
    ::chmod(ca().c_str(), mode);
    const Result<AuthorityTexts> texts = ensure_authority_folder(ca(), must_not_make);
    ASSERT_FALSE(texts) << mode;
    EXPECT_NE(texts.error().detail.find("chmod 700 " + ca().string()), std::string::npos) << texts.error().detail;
  }
  ::chmod(ca().c_str(), 0700);
  EXPECT_TRUE(ensure_authority_folder(ca(), must_not_make)) << "the remedy helps";
}

TEST_F(AuthorityFolder, OfAnotherUser_IsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_TRUE(ensure_authority_folder(ca(), make));
  for (const fs::path& given : {ca(), ca() / "key.pem"}) {
    ASSERT_EQ(::chown(given.c_str(), 12345, 12345), 0);
    const Result<AuthorityTexts> texts = ensure_authority_folder(ca(), must_not_make);
    ASSERT_FALSE(texts) << given;
    EXPECT_NE(texts.error().detail.find("chown 0 " + given.string()), std::string::npos) << texts.error().detail;
    ASSERT_EQ(::chown(given.c_str(), 0, 0), 0);
  }
}

TEST_F(AuthorityFolder, HalfAPair_IsRefused) {
  make_folder();
  put("key.pem", "k", 0600);
  EXPECT_EQ(ensure_authority_folder(ca(), must_not_make).error().kind, ErrorKind::io);
  fs::remove(ca() / "key.pem");
  put("certificate.pem", "c", 0600);
  const Result<AuthorityTexts> texts = ensure_authority_folder(ca(), must_not_make);
  ASSERT_FALSE(texts);
  EXPECT_NE(texts.error().detail.find("key.pem: is missing"), std::string::npos) << texts.error().detail;
}

// Who wants to be rid of an authority must be able to, above all if its key is lost or open to others.
TEST_F(AuthorityFolder, CertificateAlone_IsReadWhateverBecameOfTheKey) {
  EXPECT_EQ(read_authority_certificate(ca()).error().kind, ErrorKind::not_found);
  make_folder(0755);
  EXPECT_EQ(read_authority_certificate(ca()).error().kind, ErrorKind::not_found) << "an empty folder";
  put("key.pem", "k", 0666);
  EXPECT_EQ(read_authority_certificate(ca()).error().kind, ErrorKind::io) << "there was one";
  put("certificate.pem", "the certificate", 0644);
  EXPECT_EQ(read_authority_certificate(ca()).value(), "the certificate");
  fs::remove(ca() / "key.pem");
  EXPECT_EQ(read_authority_certificate(ca()).value(), "the certificate");
  fs::remove(ca() / "certificate.pem");
  ASSERT_EQ(::mkfifo((ca() / "certificate.pem").c_str(), 0600), 0);
  EXPECT_EQ(read_authority_certificate(ca()).error().kind, ErrorKind::io) << "and nobody waits";
}

TEST_F(AuthorityFolder, EmptyFolder_IsFilled) {
  make_folder();
  EXPECT_EQ(read_authority_folder(ca()).error().kind, ErrorKind::not_found);
  EXPECT_TRUE(ensure_authority_folder(ca(), make));
}

TEST_F(AuthorityFolder, Links_AreNotFollowed) {
  const fs::path elsewhere = scratch.path() / "elsewhere";
  ASSERT_TRUE(ensure_authority_folder(elsewhere, make));
  fs::create_directory_symlink(elsewhere, ca());
  EXPECT_FALSE(ensure_authority_folder(ca(), must_not_make));
  fs::remove(ca());
  make_folder();
  fs::create_symlink(elsewhere / "key.pem", ca() / "key.pem");
  put("certificate.pem", "c", 0600);
  EXPECT_FALSE(ensure_authority_folder(ca(), must_not_make));
}

TEST_F(AuthorityFolder, NotAFile_IsRefusedWithoutWaiting) {
  make_folder();
  ASSERT_EQ(::mkfifo((ca() / "key.pem").c_str(), 0600), 0);
  put("certificate.pem", "c", 0600);
  EXPECT_FALSE(ensure_authority_folder(ca(), must_not_make));
}

TEST_F(AuthorityFolder, RemainsOfACrash_AreReplaced) {
  fs::create_directory(scratch.path() / "ca.new");
  std::ofstream{scratch.path() / "ca.new" / "key.pem"} << "half a k";
  const Result<AuthorityTexts> made = ensure_authority_folder(ca(), make);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(read_authority_folder(ca())->key, "the key");
  EXPECT_EQ(scratch.count(), 1U);
}

TEST_F(AuthorityFolder, FailedMaking_LeavesNothing) {
  EXPECT_FALSE(ensure_authority_folder(ca(), []() -> Result<AuthorityTexts> {
    return Error{ErrorKind::io, Side::self, "no random numbers"};
  }));
  EXPECT_EQ(scratch.count(), 0U);
}

// Two programs that start at once must not hand out two authorities.
TEST_F(AuthorityFolder, ProcessesAtOnce_EndWithOneAuthority) {
  constexpr int kProcesses = 8;
  int start[2] = {};
  ASSERT_EQ(::pipe(start), 0);
  for (int i = 0; i < kProcesses; ++i) {
    if (::fork() == 0) {
      char go = 0;
      ::close(start[1]);
      if (::read(start[0], &go, 1) != 0) ::_exit(1);  // until the parent closes it: all run at once
      const std::string mine = std::to_string(::getpid());
      const Result<AuthorityTexts> texts = ensure_authority_folder(ca(), [&]() -> Result<AuthorityTexts> {
        return AuthorityTexts{"key " + mine, "certificate " + mine};
      });
      std::ofstream{scratch.path() / ("seen-" + mine)} << (texts ? texts->key + "/" + texts->certificate : "nothing");
      ::_exit(0);
    }
  }
  ::close(start[0]);
  ::close(start[1]);
  for (int i = 0; i < kProcesses; ++i) ::wait(nullptr);
  const AuthorityTexts kept = read_authority_folder(ca()).value();
  int seen = 0;
  for (const auto& entry : fs::directory_iterator{scratch.path()}) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("seen-")) continue;
    ++seen;
    EXPECT_EQ(scratch.read(name), kept.key + "/" + kept.certificate);
  }
  EXPECT_EQ(seen, kProcesses);
}

TEST_F(AuthorityFolder, Replace_ChangesBothFilesAndClosesWhatWasOpen) {
  ASSERT_TRUE(ensure_authority_folder(ca(), make));
  ::chmod(ca().c_str(), 0755);
  ASSERT_TRUE(replace_authority_folder(ca(), {"new key", "new certificate"}));
  const Result<AuthorityTexts> texts = read_authority_folder(ca());
  ASSERT_TRUE(texts) << texts.error().detail;
  EXPECT_EQ(texts->key, "new key");
  EXPECT_EQ(texts->certificate, "new certificate");
  EXPECT_EQ(scratch.count(), 1U) << "the old key is gone";
  fs::remove_all(ca());
  ASSERT_TRUE(replace_authority_folder(ca(), {"first key", "first certificate"})) << "also where none was";
  EXPECT_EQ(read_authority_folder(ca())->key, "first key");
}

TEST_F(AuthorityFolder, WithoutAPlace_Fails) {
  EXPECT_FALSE(ensure_authority_folder(scratch.path() / "no" / "such" / "ca", make));
  EXPECT_FALSE(replace_authority_folder(scratch.path() / "no" / "such" / "ca", {"k", "c"}));
}

}  // namespace
}  // namespace outrider
