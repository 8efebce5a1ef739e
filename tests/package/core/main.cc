#include <weir/weir.h>

#include <cstdio>

int main() {
  weir::RateLimiter chat{weir::gcra(5, weir::per(std::chrono::seconds(10)))};
  int passed = 0;
  while (chat.check()) ++passed;
  std::printf("%d\n", passed);
}
