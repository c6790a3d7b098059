#include "proxy/negotiation.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct Case {
  std::string_view accept;
  AnswerForm expected;
};

class Negotiation : public testing::TestWithParam<Case> {};

// RFC 9110 section 12.5.1
TEST_P(Negotiation, AcceptDecidesTheForm) {
  EXPECT_EQ(preferred_form(GetParam().accept), GetParam().expected) << GetParam().accept;
}

INSTANTIATE_TEST_SUITE_P(
    RealClients, Negotiation,
    testing::Values(
        Case{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", AnswerForm::html},
        Case{"*/*", AnswerForm::text},                                                               // curl
        Case{"", AnswerForm::text},                                                                  // none
        Case{"application/json, text/plain, */*", AnswerForm::json},                                 // axios
        Case{"application/json, text/javascript, */*; q=0.01", AnswerForm::json},                    // jQuery
        Case{"image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", AnswerForm::text},  // <img>
        Case{"text/css,*/*;q=0.1", AnswerForm::text},
        Case{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", AnswerForm::html}));  // Java

INSTANTIATE_TEST_SUITE_P(
    Weights, Negotiation,
    testing::Values(
        Case{"text/html;q=0.5, application/json", AnswerForm::json},
        Case{"application/json;q=0.5, text/html;q=0.6", AnswerForm::html},
        Case{"application/json;q=0.999, text/html;q=1.000", AnswerForm::html},
        Case{"text/html, application/json", AnswerForm::html}, Case{"application/problem+json", AnswerForm::json},
        Case{"application/problem+json;q=0.9, application/json;q=0.1, text/html;q=0.5", AnswerForm::json},
        Case{"text/plain, text/html;q=0.5", AnswerForm::text}, Case{"text/plain, text/html", AnswerForm::html},
        Case{"text/plain, application/json", AnswerForm::json}, Case{"text/*, text/html;q=0.4", AnswerForm::text},
        Case{"text/plain;q=0, */*, text/html;q=0.1", AnswerForm::html},  // the more specific range decides
        Case{"text/html;q=0", AnswerForm::text}, Case{"text/html;q=0.0, application/json;q=0", AnswerForm::text},
        Case{"image/png", AnswerForm::text}));

INSTANTIATE_TEST_SUITE_P(
    Spelling, Negotiation,
    testing::Values(Case{"TEXT/HTML", AnswerForm::html}, Case{"text/html ; Q=1", AnswerForm::html},
                    Case{" , ,text/html,", AnswerForm::html}, Case{"text/html;level=1;q=0.7", AnswerForm::html},
                    Case{"text/html;x=\"a,application/json\"", AnswerForm::html}, Case{"text/htmlx", AnswerForm::text},
                    Case{"xtext/html", AnswerForm::text}, Case{"text/html;q=2", AnswerForm::text},
                    Case{"text/html;q=1.5", AnswerForm::text}, Case{"text/html;q=-1", AnswerForm::text},
                    Case{"text/html;q=0.1234", AnswerForm::text}, Case{"text/html;q=", AnswerForm::text},
                    Case{"text/html;q=0x1", AnswerForm::text}, Case{"text/html;q=1.", AnswerForm::html},
                    Case{";;;q=,,\"", AnswerForm::text}));

}  // namespace
}  // namespace outrider
