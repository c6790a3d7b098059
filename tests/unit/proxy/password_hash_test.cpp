#include "proxy/password_hash.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(PasswordHash, NewHash_IsVerified_AndItsSaltIsRandom) {
  const std::string hash = hash_password("correct horse").value();
  EXPECT_TRUE(hash.starts_with("$y$"));
  EXPECT_EQ(hash_problem(hash), "");
  EXPECT_TRUE(verify_password("correct horse", hash));
  EXPECT_FALSE(verify_password("correct hors", hash));
  EXPECT_FALSE(verify_password("Correct horse", hash));
  EXPECT_FALSE(verify_password("", hash));
  EXPECT_NE(hash, hash_password("correct horse").value());
}

TEST(PasswordHash, OddPasswords) {
  for (const std::string& password :
       {std::string{"with:colon"}, std::string{"schl\xc3\xbcssel"}, std::string(511, 'x'), std::string{" "}}) {
    const std::string hash = hash_password(password).value();
    EXPECT_TRUE(verify_password(password, hash));
  }
  EXPECT_FALSE(hash_password("").has_value());
  EXPECT_FALSE(hash_password(std::string(512, 'x')).has_value());
  EXPECT_FALSE(hash_password(std::string_view{"a\0b", 3}).has_value());
}

// crypt(3) reads up to the first NUL byte.
TEST(PasswordHash, NulByteDoesNotEndThePassword) {
  const std::string hash = hash_password("secret").value();
  EXPECT_FALSE(verify_password(std::string_view{"secret\0x", 8}, hash));
  EXPECT_FALSE(verify_password(std::string(10'000, 's'), hash));
}

TEST(PasswordHash, AcceptedKinds) {
  for (const char* hash :
       {"$6$wAvK4tSYyEKb9iI6$aZtyN.wJezNvlykHJ0qP5/cxkiI1k0qp3P7TTC7/DECOx8CF3mPOx7gneQdXqeTeAqgvFBbbXB627cVaYZd5h0",
        "$5$WU9PEXK6jrIW.yHa$cr8IcMOoyQTYEdQlm7nvMFghwY4LZoTNSWfY/2pAgD5",
        "$2b$05$98OLbf3vpVU/G3mM/QkmN.O6JfkNHMYcrWabKzLZJMobDwDw71fCG",
        "$2y$05$m9vq65ErljwnHQ5gESbPIehSgWYklaCJEFOew0RzMzX9txl.BbxHO",
        "$y$j9T$5hF8naxxpSJXPKJ19igAL.$7/yaxRJz4TK563XCKWbnRBZz.k8oVhAs5EagtpUWiT6"}) {
    EXPECT_EQ(hash_problem(hash), "") << hash;
    EXPECT_TRUE(verify_password("secret", hash)) << hash;
    EXPECT_FALSE(verify_password("Secret", hash)) << hash;
  }
}

TEST(PasswordHash, WeakAndUnknownKinds_AreRefusedByName) {
  EXPECT_NE(hash_problem("$1$GO8X94Dm$NeuPpN6Czns/jWzEIOz5T1").find("MD5"), std::string::npos);
  EXPECT_NE(hash_problem("$apr1$GO8X94Dm$NeuPpN6Czns/jWzEIOz5T1").find("MD5"), std::string::npos);
  EXPECT_NE(hash_problem("{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=").find("SHA-1"), std::string::npos);
  EXPECT_NE(hash_problem("Du9YFiGmJyfzo").find("DES"), std::string::npos);
  EXPECT_NE(hash_problem("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$hash").find("argon2"), std::string::npos);
  EXPECT_NE(hash_problem("secret").find("plain text"), std::string::npos);
  EXPECT_NE(hash_problem("$3$$878d8014606cda29677a44efa1353fc7"), "");
  EXPECT_NE(hash_problem("!"), "");
  EXPECT_NE(hash_problem("*"), "");
}

TEST(PasswordHash, DamagedHashes_AreRefused_AndFitNothing) {
  const std::string whole = "$2b$05$98OLbf3vpVU/G3mM/QkmN.O6JfkNHMYcrWabKzLZJMobDwDw71fCG";
  for (const std::string& damaged : {whole.substr(0, 59), whole.substr(0, 29), whole + "x", std::string{"$2b$"},
                                     std::string{"$y$"}, std::string{"$6$"}, std::string{"$y$j9T$short"}}) {
    EXPECT_NE(hash_problem(damaged), "") << damaged;
    EXPECT_FALSE(verify_password("secret", damaged)) << damaged;
  }
}

}  // namespace
}  // namespace outrider
